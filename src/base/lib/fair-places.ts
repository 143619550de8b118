export interface PlaceHolder {
  readonly client: string
}

/**
 * Returns the holder that loses its place to a newcomer: the newest holder of the client with the
 * most places. Returns undefined if the newcomer's client would then have more places than that
 * client.
 * @param holders the holders of all places, the oldest first
 */
export function loserOfPlace<Holder extends PlaceHolder>(
  holders: Iterable<Holder>,
  newcomer: string,
): Holder | undefined {
  const byClient = Map.groupBy(holders, ({ client }) => client)
  const own = byClient.get(newcomer)?.length ?? 0
  let most: readonly Holder[] = []
  for (const held of byClient.values()) if (held.length > most.length) most = held
  return most.length > own + 1 ? most.at(-1) : undefined
}
