import { parseJsonText } from '../../lib/parse-json-text.ts'
import type { Contract } from '../update.ts'

export type ContractWithoutBlob = Omit<Contract, 'createdEventBlob'>

const version = '2.1'
const head = Buffer.from(`\x0a${String.fromCharCode(version.length)}${version}\x12`, 'latin1')

/**
 * Returns the created-event blob of a contract in base64. As in Canton, the blob is a protobuf
 * message with a version and bytes; here the bytes are JSON. Equal contracts must have equal blobs,
 * because the ledger compares a disclosed blob with the one that it computes.
 */
export function blobOf(contract: ContractWithoutBlob): string {
  const { contractId, templateId, packageName, argument, signatories, observers, createdAt } = contract
  const content = JSON.stringify([
    contractId,
    templateId,
    packageName,
    argument,
    signatories,
    observers,
    createdAt,
  ])
  const body = Buffer.from(content)
  return Buffer.concat([head, varint(body.length), body]).toString('base64')
}

export function withBlob(contract: ContractWithoutBlob): Contract {
  let blob: string | undefined
  return {
    ...contract,
    get createdEventBlob() {
      blob ??= blobOf(contract)
      return blob
    },
  }
}

/** Returns undefined if the blob is malformed, or was made by other ledger software. */
export function contractIdIn(blob: string): string | undefined {
  const bytes = Buffer.from(blob, 'base64')
  if (!bytes.subarray(0, head.length).equals(head)) return undefined
  let start = head.length
  while (((bytes[start] ?? 0) & 0x80) !== 0) start++
  try {
    const content: unknown = parseJsonText(bytes.toString('utf8', start + 1))
    return Array.isArray(content) && typeof content[0] === 'string' ? content[0] : undefined
  } catch {
    return undefined
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
