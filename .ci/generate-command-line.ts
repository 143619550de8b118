import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configFlags } from '../src/base/config/flags.ts'
import { type ArgumentRow, type CommandRow, flat } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands.ts'
import { exitCodes } from '../src/cli/exit-codes.ts'

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'done; for `roster`: the configured threshold holds; for `status`: the daemon is ready and can reach a quorum',
  failed: 'it failed, or the receipts are refused; for `doctor`: a step failed, and every threshold holds',
  thresholdUnmet: '`doctor`: a threshold does not hold, f+1 or 2f+1',
  notCurrent: '`verify --current`: a receipt is not current any more',
  usage: 'the command is not used like this',
  badQuestion: 'the question makes no sense: a bad parameter, or one that a quorum refuses',
  absent: 'a quorum agrees that there is no such thing',
  unavailable:
    'too few super validators can be asked, or no daemon answers; for `status`: no quorum is reachable, or the ledger takes no writes',
  output: 'standard output cannot be written, such as on a full disk',
  disagreement: 'those that were asked do not agree',
  badConfig: 'the configuration cannot be used',
}

export function commandLinePage(): string {
  return `<!-- Written by .ci/generate-command-line.ts from src/cli/commands.ts. -->

# Command line

\`bft-scan-proxy\` is the daemon and the tools beside it; in a checkout type \`npx bft-scan-proxy\`. \`COMMAND --help\` shows
all options of a command with examples. Most take \`--json\`.

| command | purpose |
| --- | --- |
${flat(commands)
  .map(({ words, command }) => `| \`${usageOf(words, command)}\` | ${command.says} |`)
  .join('\n')}

| flag | sets | of |
| --- | --- | --- |
${Object.keys(configFlags).map(flagLine).join('\n')}

Flags may stand before the command, and override everything else ([configuration.md](configuration.md)).

## Ask the super validators

\`lookup\`, \`read\`, \`roster\` and \`doctor\` need no daemon: they ask the scans themselves, from this machine, and print what
a quorum agrees on. Super validators of a real network answer only addresses that they have allow-listed. Without a
network and without seeds the commands ask the localnet of the daemon that runs here.

\`\`\`console
$ npx bft-scan-proxy lookup --network mainnet alice.unverified.cns
$ npx bft-scan-proxy read --network mainnet getUpdateHistoryV2 page_size=10 | jq '.transactions[].update_id'
$ npx bft-scan-proxy roster --network mainnet --threshold 2f+1
\`\`\`

A key of \`read\` is a parameter, given again for each element of a list, or a member of the body, whose value is JSON or
else a text. The value goes to standard output, who agreed to standard error.

\`lookup --all\` asks every super validator and shows which of them \`agreed\`, \`DISSENTED\`, stayed \`silent\`, or was \`not
asked\`, with the lines in which their answers differ. Where more than f contradict the answer, the table says \`differs\`,
and a warning says that these votes do not show who is right.

## Ask a running daemon

\`status\` and \`evidence\` ask a daemon's operations address: \`--operations URL\`, or the one in the configuration
(\`http://127.0.0.1:9464\`). \`status\` shows the speed rank of each super validator (1 is asked first), why it is spared,
who contradicted the others in the last hour, and the mirror's level. \`evidence --since\` takes \`1h30m\`, a date or a time.

## For scripts

With \`--json\` a command prints one line of JSON, whatever comes of it:

| command | prints |
| --- | --- |
| \`lookup\`, \`read\` | \`{"kind":"value","value":...}\` or \`{"kind":"absence","status":404,"error":...}\`, with \`agreement\`, \`agreedAt\`, \`digest\`, and \`asOf\` of a mirror |
| \`lookup --all\` | also \`outcome\`, \`rule\`, \`seconds\`, \`superValidators\` (with \`stance\`), \`statements\`, \`agreedStatement\` and, in doubt, \`warning\` |
| a failure | \`{"kind":"error","code":...,"status":...,"error":...}\`, with a code of [errors.md](errors.md), or \`usage\`, \`badConfig\` or \`unavailable\` without a status |

| exit code | means |
| --- | --- |
${Object.entries(exitCodes)
  .map(([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`)
  .join('\n')}

## Doctor

\`doctor\` says why a super validator's scan cannot be used from this machine. It takes 14 s at most:

\`\`\`console
$ npx bft-scan-proxy doctor
super validator  dns  tcp      tls     version  dso  synchr.  head    snapshot  history
sv-1             ok   ok       ok      0.7.5    ok   ok       ok      ok        ok
sv-2             ok   DROPPED  -       -        -    -        -       -         -
sv-3             ok   ok       ISSUER  -        -    -        -       -         -
sv-4             ok   ok       ok      403      -    -        -       -         -
sv-5             ok   ok       ok      0.7.5    ok   ok       -12MIN  ok        LOADING
\`\`\`

Below stand the verdict, the reasons in words, and a text to send to each super validator that does not let this machine
in, with the addresses of \`scanClient.egressAddresses\`. \`DROPPED\` most likely means that this machine is not on the
allow-list. A scan can be used if its \`dso\` and \`synchronizer\` are well. \`head\` is how far its last update is behind
those of the others. Through a forward proxy, \`dns\` and \`tcp\` say what the proxy makes of them.

\`--diff FILE\` compares with the output of an earlier \`doctor --json\`.
`
}

function usageOf(words: string, { args = [], options = {} }: CommandRow): string {
  const required = Object.entries(options).filter(([, option]) => option.required)
  const needed = required.map(([name, { value }]) => `--${name} ${value}`)
  return [words, ...needed, ...args.map(argument)].join(' ')
}

function argument({ name, optional, several }: ArgumentRow): string {
  const shown = several ? `${name}...` : name
  return optional ? `[${shown}]` : shown
}

function flagLine(name: string): string {
  const { value, says } = configFlags[name as keyof typeof configFlags]
  const of = flat(commands).filter(({ command }) => command.flags?.some((flag) => flag === name))
  return `| \`--${name} ${value}\` | ${says} | ${of.map(({ words }) => `\`${words}\``).join(', ')} |`
}

if (import.meta.main) {
  writeFileSync(fileURLToPath(new URL('../docs/command-line.md', import.meta.url)), commandLinePage())
}
