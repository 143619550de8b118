import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type CantonErrorKind,
  cantonErrors,
  type PlainErrorKind,
  plainErrors,
  redactedText,
} from '../src/base/errors/canton.ts'
import { type SpliceErrorCode, spliceErrors } from '../src/base/errors/splice.ts'

export function errorsPage(): string {
  return `<!-- Written by .ci/generate-errors.ts from src/base/errors/. -->

# Errors

Every error has the form \`{"error": "<text>"}\`, with \`cache-control: no-store\` and its code in \`x-bft-error\`. Only the
errors of the JSON Ledger API (\`/v2/...\`) [differ](#the-json-ledger-api). Where Splice 0.7.5 has the error, status and text are
Splice's. \`{...}\` is filled in.

A 404 (or 400, 409, 410, 422) without \`x-bft-error\` is an answer of a quorum ([votes.md](build/votes.md)) and no error: it has
\`x-bft-quorum\`, \`x-bft-agreed\`, an \`etag\` and cache headers.

A 5xx of a read also has \`x-bft-quorum\`: in \`agreed=2, threshold=3, asked=4, voters=4\` the largest group of equal votes lacked
one. Where too many scans answer \`Undetermined\` or \`CannotProvide\` to a read of a round's rewards, the answer is Splice's own: 200
\`"status": "Undetermined"\`, never cached, with \`agreed=0\`.

A \`*\` means that the same request may succeed later. Where a time is known, \`retry-after\` has the seconds.

| status, code | text | meaning |
| --- | --- | --- |
${spliceLines().join('\n')}

Headers of more than 160 KiB get 431. The daemon closes a connection without an answer if more than 100 requests wait on it, or
if one request takes more than a minute to arrive.

## Where this differs from Splice, on purpose

| Splice | this daemon | why |
| --- | --- | --- |
| answers some errors as plain text | always \`{"error": "..."}\`, with Splice's status and words | one form to parse |
| forwards what f+1 scans said with an equal error, 429 and 5xx included | takes only 400, 404, 409, 410 and 422 for an answer; other errors are nobody's vote | scans behind one rate limiter would answer for the network |
| takes every 404 for absence | only with a text that the read knows | a new or older scan knows nothing about absence |
| reads again up to twelve times before 502, and answers 503 after 38 s | one read asks each scan once, and ends within \`scanClient.deadline\` | no storm of retries |
| does not start before scans have given a list of scans | starts, and answers 503 with \`retry-after\` | probes can tell |
| takes repeated keys in JSON, numbers of 64 bits, request lines that end with LF alone, and two lines of \`Authorization\` | 400 | two servers may read two requests |
| has no limit for callers of the proxy | 429 with \`retry-after\` for cache misses above \`http.missesPerSecond\` | a miss costs every super validator requests |

## The JSON Ledger API

Paths below \`/v2/\` have the errors of Canton 3.6: its JSON with \`code\`, \`cause\`, \`context\`, \`errorCategory\`, \`grpcCodeValue\` and
\`retryInfo\`, or a sentence with \`text/plain; charset=UTF-8\`. Read the content type first: there are two kinds of 400, of 413 and of 503.

\`NA\` is an error that tells no more than its status: its text is \`${redactedText}\` On a WebSocket the
same body comes as one frame, and the stream ends.

The daemon checks the path, the method and \`accept\` (404, 405, 406) before the token, and the token before it reads a body.

| status, code | meaning |
| --- | --- |
${cantonLines().join('\n')}

A path with nothing, or with nothing but a WebSocket, is 404 with \`{"errors": ["[<method> <path>]"], "status": 404, "ledgerApiError": null}\`.

| status | plain text | meaning |
| --- | --- | --- |
${plainLines().join('\n')}
`
}

function spliceLines(): readonly string[] {
  const codes = Object.keys(spliceErrors) as SpliceErrorCode[]
  return codes
    .sort((a, b) => spliceErrors[a].status - spliceErrors[b].status)
    .map((code) => {
      const { status, retryable, text, meaning } = spliceErrors[code]
      return line(`${status} ${named(code, retryable)}`, shown(text), meaning)
    })
}

function cantonLines(): readonly string[] {
  const rows = Object.values(cantonErrors).toSorted((one, other) => one.status - other.status)
  const alike = Map.groupBy(rows, (row) => `${row.status} ${named(row.code, mayTryAgain(row))}`)
  return [...alike].map(([code, same]) => line(code, same.map(({ meaning }) => meaning).join(' ')))
}

function mayTryAgain({ bodyLayout, retryInfo, status }: (typeof cantonErrors)[CantonErrorKind]): boolean {
  return retryInfo !== undefined && bodyLayout !== 'redacted' && status !== 413
}

function plainLines(): readonly string[] {
  const kinds = Object.keys(plainErrors) as PlainErrorKind[]
  return kinds.map((kind) => {
    const { status, text, meaning } = plainErrors[kind]
    return line(String(status), shown(text), meaning)
  })
}

function named(code: string, again: boolean): string {
  return again ? `\`${code}\`*` : `\`${code}\``
}

function shown(text: string): string {
  const quoted = text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
  return quoted.replaceAll(/\r?\n/g, ' ⏎ ')
}

function line(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../docs/errors.md', import.meta.url)), errorsPage())
}
