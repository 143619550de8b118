export function damagedFile(problem: string): string {
  return `The ledger takes no writes, its file is damaged: ${problem}.`
}
