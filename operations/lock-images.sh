#!/bin/sh
# Looks up the digest of every image that docker-compose.yml and the Dockerfile name, and writes them to images.env beside it:
#   docker compose --env-file images.env up --build --detach --wait        (add --env-file .env where you have one)
# A digest is one content for ever; a tag may be moved by whoever owns it. Run it again to take newer content of the same tags.
set -eu
cd "$(dirname "$0")/.."
sed -n 's/.*\${\([A-Z_]*_IMAGE\):-\([^}]*\)}.*/\1 \2/p' docker-compose.yml | sort -u | while read -r variable image; do
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
  case $digest in sha256:????????????????????????????????????????????????????????????????) ;; *) echo "no digest of $image: $digest" >&2; exit 1 ;; esac
  echo "$variable=$image@$digest"
done > images.env.new
mv images.env.new images.env
cat images.env
