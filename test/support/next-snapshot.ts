const period = 3 * 3_600_000
/** Milliseconds from the time of a snapshot until every node of a localnet has the snapshot. */
const settled = 90_000

export async function untilNextSnapshot(control: string | undefined): Promise<void> {
  const { now } = (await (await fetch(`${control}/time`)).json()) as { readonly now: string }
  const wait = period - (Date.parse(now) % period) + settled
  const body = JSON.stringify({ duration: `${wait}ms` })
  const { ok, status } = await fetch(`${control}/time/advance`, { method: 'POST', body })
  if (!ok) throw new Error(`the localnet's time was not moved: ${status}`)
}
