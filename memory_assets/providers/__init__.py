"""A language model that somebody else serves: asked through litellm, kept from every other address, its failures named."""
