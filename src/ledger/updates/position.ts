/** A place in an answer that is read in parts, as callers carry it: opaque bytes that belong to one request. */
export interface Position {
  readonly offset: number
  readonly nodeId: number
}

const version = 1
const bytes = 1 + 8 + 4 + 8

/** @param request says what ledger and what request it belongs to: at least 16 hex digits. */
export function positionBytes({ offset, nodeId }: Position, request: string): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUInt8(version)
  buffer.writeBigUInt64BE(BigInt(offset), 1)
  buffer.writeUInt32BE(nodeId, 9)
  buffer.write(request.slice(0, 16), 13, 'hex')
  return buffer
}

/** What `positionBytes` made: or why it is none for this request. */
export function readPosition(given: Buffer, request: string): Position | 'undecodable' | 'foreign' {
  if (given.length !== bytes) return 'undecodable'
  if (given.readUInt8() !== version || given.toString('hex', 13) !== request.slice(0, 16)) return 'foreign'
  return { offset: Number(given.readBigUInt64BE(1)), nodeId: given.readUInt32BE(9) }
}
