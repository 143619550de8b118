/** The usage text of each command. It is separate from the commands, so that help does not load their modules. */
export const usages = {
  serve: 'Usage: bft-scan-proxy serve',
  'check-config': 'Usage: bft-scan-proxy check-config [--json]',
  lookup: 'Usage: bft-scan-proxy lookup [--json] NAME-OR-PARTY',
  read: `Usage: bft-scan-proxy read [--json] READ [key=value...]
       bft-scan-proxy read --list
A key is a parameter of the read, or a member of its body, whose value is JSON or a text; body=JSON is all of it.`,
  roster: 'Usage: bft-scan-proxy roster [--json]',
  ledger: `Usage: bft-scan-proxy ledger verify [FILE]
       bft-scan-proxy ledger rebuild FILE NEW-FILE

  verify   says whether a ledger's file is what its log says; FILE is ledger.file where it is left out
  rebuild  makes a new file from the log of a damaged one, as far as that is whole`,
  localnet: 'Usage: bft-scan-proxy localnet [--super-validators N] [--port P] [--control-port P]',
  token: 'Usage: bft-scan-proxy token --user NAME',
} as const
