-- The origins that a secret value may be sent to (docs/decisions/0113-secrets-and-their-destinations.md). Null, as for all values from
-- before, binds it to none. A process of the version before neither writes the column nor compares it.
alter table secrets
  add column destinations text[] check (destinations is null or (kind = 'value' and cardinality(destinations) > 0));
