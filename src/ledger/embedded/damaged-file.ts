/** Returns the sentence with which a damaged ledger rejects writes. */
export function damagedFile(problem: string): string {
  return `The ledger takes no writes, its file is damaged: ${problem}.`
}
