/** Forgets the updates of a ledger up to an offset. Gives the one up to which they are forgotten then. */
export type Prune = (upTo: number) => Promise<number>

/** What `POST /prune` on the operations address answers to a body. */
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
