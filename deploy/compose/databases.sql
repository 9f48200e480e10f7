-- Run once, when the server's folder is made: the log lies in the database memory, Dagster's records in one of their own.
CREATE DATABASE dagster;
