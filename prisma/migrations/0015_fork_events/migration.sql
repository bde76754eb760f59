-- That another run was forked from this one is a kind of its own, no launch of this one.
UPDATE "run_event" SET "kind" = 'fork' WHERE "kind" = 'launch' AND "source_key" LIKE 'fork:%';
