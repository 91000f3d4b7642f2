"""Chunks: cut a Markdown text the way memory files are cut."""

# start
from recollect.text.chunking import chunk_markdown

text = "# Packaging\n\n" + "".join(f"- sample {number}: 48 % humidity\n" for number in range(200))
for chunk in chunk_markdown(text, tokens=400, overlap=80):
    print(f"lines {chunk.start_line} to {chunk.end_line}, {len(chunk.text)} characters")
# end
