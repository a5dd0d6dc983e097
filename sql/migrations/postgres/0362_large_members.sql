-- JSON as a list shows it (spec/api#large-members): each array that is a member of an object and has more than `most` entries is null, with the
-- number of its entries beside it, so that a process reads none of them.
CREATE FUNCTION json_without_large(value jsonb, most integer) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF jsonb_typeof(value) = 'array' THEN
    RETURN (SELECT coalesce(jsonb_agg(json_without_large(entry, most) ORDER BY place), '[]')
      FROM jsonb_array_elements(value) WITH ORDINALITY AS entries (entry, place));
  ELSIF jsonb_typeof(value) = 'object' THEN
    RETURN (SELECT coalesce(jsonb_object_agg(key, CASE
          WHEN jsonb_typeof(member) = 'array' AND jsonb_array_length(member) > most THEN 'null'
          WHEN jsonb_typeof(member) IN ('array', 'object') THEN json_without_large(member, most)
          ELSE member END), '{}')
        || coalesce(jsonb_object_agg(key || '_count', jsonb_array_length(member))
          FILTER (WHERE jsonb_typeof(member) = 'array' AND jsonb_array_length(member) > most), '{}')
      FROM jsonb_each(value) AS members (key, member));
  END IF;
  RETURN value;
END $$;

-- As a list shows it, and in at most a megabyte where leaving out smaller members too makes it so.
CREATE FUNCTION json_as_listed(value jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  most integer;
  listed jsonb := value;
BEGIN
  -- Of fewer bytes no member has so many entries.
  IF value IS NULL OR octet_length(value::text) < 200 THEN
    RETURN value;
  END IF;
  FOREACH most IN ARRAY ARRAY[100, 10, 0] LOOP
    listed := json_without_large(value, most);
    EXIT WHEN octet_length(listed::text) <= 1048576;
  END LOOP;
  RETURN listed;
END $$;
