#!/bin/bash
# other words
src="$1"
n=0
max=25
save() {
	local dest="$2"
	if [ ! -d "$src" ] && [ $n -lt $max ]; then
		echo 'none here' >&2
		exit 1
	fi
	for item in "$src"/*; do
		mv "$item" "$dest"
		n=$((n + 1))
	done
}
save "$src" /tmp
echo "done $n" | tee notes
