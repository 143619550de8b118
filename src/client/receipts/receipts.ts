export { BadOptions } from '../../base/lib/bad-options.ts'
export type { Json } from '../../base/lib/canonical-json.ts'
export { ClientError, type ClientErrorCode } from '../client-error.ts'
export type { Token } from '../token.ts'
export type { Ed25519Engine } from './ed25519-engine.ts'
export {
  lookupQuestion,
  lookupWithReceipts,
  type ReceiptDaemon,
  type ReceiptLookup,
  type ReceiptLookupOptions,
  type UnheardDaemon,
} from './lookup-with-receipts.ts'
export { ReceiptMemory } from './memory.ts'
export { BadPin, type ReceiptJwk, type ReceiptKeyDirectory, type ReceiptPin, thumbprintOf } from './pins.ts'
export type { ReceiptRefusalReason, RefusedReceipt } from './refusals.ts'
export {
  MalformedReceipt,
  parseReceipt,
  printReceipt,
  type ReceiptQuestion,
  receiptOf,
  type SavedReceipt,
} from './saved-receipt.ts'
export type { ReceiptTerms } from './terms.ts'
export type { ReceiptStatement, ReceiptVerdict, RefusedVerdict, VerifiedReceipt } from './verdict.ts'
export type { VerifyOptions } from './verify-options.ts'
export { verifyReceipt } from './verify-receipt.ts'
