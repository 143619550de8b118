const unitBytes = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const

export type Size = `${number}${keyof typeof unitBytes}`

export function tryBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(B|KiB|MiB|GiB)$/.exec(text)
  if (match === null) return undefined
  return Math.floor(Number(match[1]) * unitBytes[match[2] as keyof typeof unitBytes])
}

/** @throws TypeError if the text is not a size */
export function bytes(text: Size): number {
  const count = tryBytes(text)
  if (count === undefined) throw new TypeError(`not a size: ${text}`)
  return count
}
