-- Run once by the superuser. The program must not use a superuser: row-level security does not hold for one.
create role parley login password :'password';
create database parley owner parley;
