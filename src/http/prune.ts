/** Forgets the updates of a ledger up to an offset. Resolves with the offset up to which updates are now forgotten. */
export type Prune = (upTo: number) => Promise<number>

/** Answers `POST /prune` on the operations address. */
export async function pruneAnswer(
  prune: Prune | undefined,
  body: string,
): Promise<{ readonly status: 200 | 400 | 501; readonly body: object }> {
  if (prune === undefined)
    return { status: 501, body: { error: 'This daemon has no ledger of its own to prune.' } }
  const upTo = offsetIn(body)
  if (upTo === undefined)
    return { status: 400, body: { error: 'The body is no {"upTo": <offset of at least 1>}.' } }
  return { status: 200, body: { prunedUpTo: await prune(upTo) } }
}

function offsetIn(body: string): number | undefined {
  try {
    const { upTo } = JSON.parse(body)
    return Number.isSafeInteger(upTo) && upTo > 0 ? upTo : undefined
  } catch {
    return undefined
  }
}
