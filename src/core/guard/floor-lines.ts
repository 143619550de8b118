import { hash } from 'node:crypto'
import { type Floor, isFloorKey } from './floors.ts'

export interface FloorRecord {
  readonly key: string
  readonly floor: Floor | undefined
}

const magic = 'bft-scan-proxy-floors-1'
const none = '-'
const checkLength = 8
const versionPattern = /^[!-~]{1,200}$/

export function headerLine(secret: Buffer): string {
  return checked(`${magic} ${secret.toString('base64url')}`)
}

export function recordLine({ key, floor }: FloorRecord): string {
  return checked(`${key} ${floorText(floor)}`)
}

export function floorText({ version, endsAt }: Floor = { version: none, endsAt: undefined }): string {
  return `${version} ${endsAt ?? none}`
}

/** Returns null if the two words are not those of `floorText`, and undefined if they mean no floor. */
export function floorIn(version: string, ends: string): Floor | undefined | null {
  const endsAt = ends === none ? undefined : Number(ends)
  if (!versionPattern.test(version) || (endsAt !== undefined && !Number.isFinite(endsAt))) return null
  return version === none ? undefined : { version, endsAt }
}

/**
 * A stored version must contain no space, which separates the fields of a line, and must not be
 * `-`, which marks a removed floor.
 */
export function isStorable({ version }: Floor): boolean {
  return version !== none && versionPattern.test(version)
}

/**
 * Reads the content of a file of floors. An incomplete last line is ignored, because the process may
 * have ended while it wrote that line.
 * @returns a clause that says what is wrong, if the file is damaged.
 */
export function readFloorLines(
  text: string,
): { readonly secret: Buffer; readonly records: readonly FloorRecord[] } | string {
  const lines = text.split('\n')
  lines.pop()
  const [first, ...others] = lines
  const header = first === undefined ? undefined : unchecked(first)?.split(' ')
  const secret = header?.[0] === magic ? Buffer.from(header[1] ?? '', 'base64url') : undefined
  if (secret?.length !== 32) return 'its first line is not that of a file of floors'
  const records: FloorRecord[] = []
  for (const [index, line] of others.entries()) {
    const record = recordIn(line)
    if (record === undefined) return `line ${index + 2} is damaged`
    records.push(record)
  }
  return { secret, records }
}

function recordIn(line: string): FloorRecord | undefined {
  const [key = '', version = '', ends = '', ...more] = unchecked(line)?.split(' ') ?? []
  const floor = floorIn(version, ends)
  return isFloorKey(key) && more.length === 0 && floor !== null ? { key, floor } : undefined
}

function checked(text: string): string {
  return `${text} ${checkOf(text)}\n`
}

function unchecked(line: string): string | undefined {
  const at = line.lastIndexOf(' ')
  const text = line.slice(0, Math.max(0, at))
  return line.slice(at + 1) === checkOf(text) ? text : undefined
}

function checkOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, checkLength)
}
