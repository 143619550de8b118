import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type SpliceErrorCode, spliceErrors } from '../src/errors/splice.ts'

/** `docs/errors.md`, as it follows from the table of errors. */
export function errorsPage(): string {
  const codes = Object.keys(spliceErrors) as SpliceErrorCode[]
  const sorted = codes.sort((a, b) => spliceErrors[a].status - spliceErrors[b].status)
  return `<!-- Written by .ci/generate-errors.ts from src/errors/splice.ts. -->

# Errors

Every error has the form \`{"error": "<text>"}\` with \`content-type: application/json\` and \`cache-control: no-store\`.
Statuses and texts are those of Splice 0.7.5 where Splice has the error. \`{...}\` is filled in.

An answer 404 (or 400, 409, 410, 422) may also be what a quorum of super validators said: that is an answer, not an error
of this daemon. It has the headers \`x-bft-quorum\` and \`x-bft-agreed\`, an \`etag\` and cache headers like any other, and
its text is the scans' own, or on the proxy's paths the one that Splice's proxy gives (\`reads.md\`). What stands here
has none of these headers.

*Again* says whether the same request may succeed later without a change to it; where a time is known, \`retry-after\`
tells it in seconds.

| status | text | again | meaning |
| --- | --- | --- | --- |
${sorted.map(line).join('\n')}

The text of 401 is "The resource requires authentication, which was not supplied with the request" or "The supplied
authentication is invalid", with \`www-authenticate\`. A request whose headers are longer than 160 KiB is answered 431 in
the words of a malformed one, and its connection is closed.

## Where this differs from Splice, on purpose

| Splice | this daemon | why |
| --- | --- | --- |
| answers some errors as plain text: a missing or malformed query parameter, a malformed body, 401, 405, 413, 415 | always \`{"error": "..."}\`, with Splice's status and words | one form to parse |
| forwards what f+1 scans said with an equal error, 429 and 5xx included | only 400, 404, 409, 410 and 422 can be an answer; 401, 403, 429, 3xx and 5xx are nobody's vote, and end as 502 where too many give them | scans behind one rate limiter or one proxy would answer for the network |
| takes every 404 for absence, whatever its text | takes it for absence only with a text that the read knows (\`reads.md\`), else for "cannot say yet" | a scan that has just started, or runs an older release, knows nothing about absence |
| reads again up to twelve times before 502, and 503 "The server is taking too long" after 38 s | one read asks each scan once, and ends within \`scanClient.deadline\` as 502 | no storm of retries; the caller may try again |
| does not start before the scans have given a list of scans | starts, and answers 503 with \`retry-after\` until there is a roster | it passes by itself, and probes can tell |
| has no limit for callers of the proxy | 429 with \`retry-after\` for cache misses above \`http.missesPerSecond\` of one client address | misses cost every super validator asks |
`
}

function line(code: SpliceErrorCode): string {
  const { status, retryable, text, meaning } = spliceErrors[code]
  const shown = text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
  const cells = [String(status), shown.replaceAll('\n', ' ⏎ '), retryable ? 'yes' : 'no', meaning]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../docs/errors.md', import.meta.url)), errorsPage())
}
