import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CantonErrorKind, cantonErrors, type PlainErrorKind, plainErrors } from '../src/errors/canton.ts'
import { type SpliceErrorCode, spliceErrors } from '../src/errors/splice.ts'

export function errorsPage(): string {
  const codes = Object.keys(spliceErrors) as SpliceErrorCode[]
  const sorted = codes.sort((a, b) => spliceErrors[a].status - spliceErrors[b].status)
  return `<!-- Written by .ci/generate-errors.ts from src/errors/. -->

# Errors

Every error, but for those of the JSON Ledger API (\`/v2/...\`) at the end of this page, has the form \`{"error": "<text>"}\` with \`content-type: application/json\` and \`cache-control: no-store\`.
Statuses and texts are those of Splice 0.7.5 where Splice has the error. \`{...}\` is filled in.

An answer 404 (or 400, 409, 410, 422) may also be what a quorum of super validators said: that is an answer, not an error
of this daemon. It has the headers \`x-bft-quorum\` and \`x-bft-agreed\`, an \`etag\` and cache headers like any other, and
its text is the scans' own, or on the proxy's paths the one that Splice's proxy gives (\`reads.md\`). The
header \`x-bft-error\` tells the two apart: each error below has it, with its code, but for bytes that are no HTTP, and no answer of a quorum has it.

An error 5xx of a read also has \`x-bft-quorum\`: \`agreed\` is the size of the largest group of equal votes, so that
\`agreed=2, threshold=3, asked=4, voters=4\` says that one vote was missing. \`asked=0\` says that no super validator was
asked, and without a roster there is no \`threshold\`. It never has \`x-bft-agreed\`.

Where so many scans answer \`Undetermined\` or \`CannotProvide\` to a read of a round's rewards that nothing can be agreed on,
the answer is Splice's own: 200 \`"status": "Undetermined"\`, never kept, with \`agreed=0\` in \`x-bft-quorum\`. Where scans
contradict each other or cannot be reached Splice answers the same, and this daemon 502, because then something is wrong.

*Again* says whether the same request may succeed later without a change to it; where a time is known, \`retry-after\`
tells it in seconds.

| status | code | text | again | meaning |
| --- | --- | --- | --- | --- |
${sorted.map(line).join('\n')}

The text of 401 is "The resource requires authentication, which was not supplied with the request" or "The supplied
authentication is invalid", with \`www-authenticate\`. A request whose headers are longer than 160 KiB is answered 431 in
the words of a malformed one, and its connection is closed. So is a connection, without a word, on which more than 100
requests wait for their answers, or which takes more than a minute to send one.

## Where this differs from Splice, on purpose

| Splice | this daemon | why |
| --- | --- | --- |
| answers some errors as plain text: a missing or malformed query parameter, a malformed body, 401, 405, 413, 415 | always \`{"error": "..."}\`, with Splice's status and words | one form to parse |
| forwards what f+1 scans said with an equal error, 429 and 5xx included | only 400, 404, 409, 410 and 422 can be an answer; 401, 403, 429, 3xx and 5xx are nobody's vote, and end as 502 where too many give them | scans behind one rate limiter or one proxy would answer for the network |
| takes every 404 for absence, whatever its text | takes it for absence only with a text that the read knows (\`reads.md\`), else for "cannot say yet" | a scan that has just started, or runs an older release, knows nothing about absence |
| reads again up to twelve times before 502, and 503 "The server is taking too long" after 38 s | one read asks each scan once, and ends within \`scanClient.deadline\` as 502 | no storm of retries; the caller may try again |
| does not start before the scans have given a list of scans | starts, and answers 503 with \`retry-after\` until there is a roster | it passes by itself, and probes can tell |
| takes a key that is twice in one JSON object, and the last value counts | 400 | two servers may read two questions |
| takes numbers of 64 bits in bodies | 400 above 2^53 | no migration and no row has such a number |
| takes lines of a request that end with LF alone | 400: they end with CRLF (\`nc -C\`) | two servers may see two requests |
| answers a caller that ends its side of the connection, however late | answers it where the end comes within 0.1 s after the request (\`nc -N\`); later the caller counts as gone, as does one of \`POST /v2/...\`, whose lists wait | what nobody waits for is not asked of scans |
| takes two lines of \`Authorization\` | 400 | a proxy may have checked the other one |
| has no limit for callers of the proxy | 429 with \`retry-after\` for cache misses above \`http.missesPerSecond\` of one client address | misses cost every super validator asks |

## The JSON Ledger API

Paths below \`/v2/\` have the errors of Canton 3.6: bodies as below with \`content-type: application/json\`, or a sentence with
\`text/plain; charset=UTF-8\`. Read the content type before the body: there are two kinds of 400, of 413 and of 503.

\`\`\`json
{"code": "OFFSET_AFTER_LEDGER_END", "cause": "End offset (9) is after ledger end (7).", "correlationId": null,
 "traceId": "5f3b6c0d9a1e4b7c8d2f00112233aabb",
 "context": {"category": "12", "definite_answer": "false", "tid": "5f3b6c0d9a1e4b7c8d2f00112233aabb"},
 "resources": [], "errorCategory": 12, "grpcCodeValue": 11, "retryInfo": "1 second", "definiteAnswer": null}
\`\`\`

\`NA\` stands for an error of which no more is told than its status; the log has the reason. Where \`retryInfo\` is set, the
same request may succeed later. On a WebSocket the same body comes as one frame in the place of an update, and the stream ends.

Canton says some of what is wrong with a request before it judges the token. Here the path, the method and \`accept\` alone come
before the token (404, 405, 406). Without one that is valid, everything else is 401 or 403 over HTTP, or 400 where it is empty,
also the request for a WebSocket, and no byte of a body is read. Then come the query, the size of the body, its form, and the rest
in Canton's order.

| status | code | text | again | meaning |
| --- | --- | --- | --- | --- |
${cantonLines().join('\n')}
| 404 | | \`{"errors": ["[<method> <path>]"], "status": 404, "ledgerApiError": null}\` | no | There is nothing at this path, \`/v2/updates/flats\` and \`trees\` included (removed in 3.6), or nothing but a WebSocket. |

| status | plain text | meaning |
| --- | --- | --- |
${plainLines().join('\n')}
`
}

function cantonLines(): readonly string[] {
  const kinds = Object.keys(cantonErrors) as CantonErrorKind[]
  return kinds
    .sort((a, b) => cantonErrors[a].status - cantonErrors[b].status)
    .map((kind) => {
      const { status, code, bodyLayout, text, retryInfo, meaning } = cantonErrors[kind]
      const again = retryInfo !== undefined && bodyLayout !== 'redacted' && status !== 413 ? 'yes' : 'no'
      return `| ${[String(status), `\`${code}\``, shown(text), again, meaning].join(' | ')} |`
    })
}

function plainLines(): readonly string[] {
  const kinds = Object.keys(plainErrors) as PlainErrorKind[]
  return kinds.map((kind) => {
    const { status, text, meaning } = plainErrors[kind]
    return `| ${status} | ${shown(text)} | ${meaning} |`
  })
}

function shown(text: string): string {
  const quoted = text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
  return quoted.replaceAll(/\r?\n/g, ' ⏎ ')
}

function line(code: SpliceErrorCode): string {
  const { status, retryable, text, meaning } = spliceErrors[code]
  const cells = [String(status), `\`${code}\``, shown(text), retryable ? 'yes' : 'no', meaning]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../docs/errors.md', import.meta.url)), errorsPage())
}
