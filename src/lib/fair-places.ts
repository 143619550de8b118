/** Something that has one of a limited number of places, such as an open stream. */
export interface PlaceHolder {
  readonly client: string
}

/**
 * Chooses the holder that loses its place to a newcomer when all places are taken: the newest holder of the
 * client that has most places. Undefined if, after the exchange, the newcomer's client would have more places
 * than the client that loses one. The newcomer then gets no place.
 * @param holders the holders of all places, the oldest first.
 * @param newcomer the client of the newcomer.
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
