#!/bin/bash
# back up a folder
folder="$1"
count=0
limit=10

copy() {
  local target="$2"
  if [ ! -d "$folder" ] && [ $count -lt $limit ]; then
    echo 'no folder' >&2
    exit 1
  fi
  for file in "$folder"/*; do
    count=$((count + 1))
    cp "$file" "$target"
  done
}

copy "$folder" /tmp
echo "copied $count" | tee log
