"""Texts that try to run, to load something or to lead elsewhere, wherever they are shown."""

from __future__ import annotations

AWAY = "http://198.51.100.7:9"
"""Where nobody may be asked: an address that is documentation's (RFC 5737)."""

PAYLOADS = (
    "<script>alert(1)</script>",
    f"<script src={AWAY}/x.js></script>",
    "<img src=x onerror=alert(1)>",
    f'<img src="{AWAY}/pixel.png">',
    f"![picture]({AWAY}/picture.png)",
    f"[![inner]({AWAY}/inner.png)]({AWAY}/outer)",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt&colon;alert(1))",
    "[click](&#106;avascript:alert(1))",
    "[click](\x01javascript:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[click](vbscript:msgbox(1))",
    "<a href='javascript:alert(1)'>click</a>",
    "<javascript:alert(1)>",
    "</article></main><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "</title><script>alert(1)</script>",
    "</textarea></select><script>alert(1)</script>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    f"<object data={AWAY}/o></object><embed src={AWAY}/e>",
    f"<link rel=stylesheet href={AWAY}/s.css><style>@import '{AWAY}/i.css';</style>",
    f"<div style='background:url({AWAY}/b.png)'>styled</div>",
    f"<form action={AWAY}><button formaction=javascript:alert(1)>go</button></form>",
    f"<meta http-equiv=refresh content='0;url={AWAY}/'><base href={AWAY}/>",
    "{{ 7*7 }}{% raw %}<b>{{ config }}</b>{% endraw %}",
    f"<div hx-get='{AWAY}/h' hx-trigger='load' hx-on:load='alert(1)'>htmx</div>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "\u202e\u2066<script>alert(1)</script>\u2069 ‮",
    "```\n</code></pre><script>alert(1)</script>\n```\n\n| a | b |\n|---|---|\n"
    "| <script>alert(1)</script> | [x](javascript:alert(1)) |",
)
