import { BadOptions } from '../../lib/bad-options.ts'
import type { Json } from '../../lib/canonical-json.ts'
import { ClientError, type ClientErrorCode } from '../client-error.ts'
import type { Token } from '../token.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import type { ReceiptDaemon, ReceiptLookupOptions } from './lookup-with-receipts.ts'
import {
  lookupQuestion,
  lookupWithReceipts,
  type ReceiptLookup,
  type UnheardDaemon,
} from './lookup-with-receipts.ts'
import { ReceiptMemory } from './memory.ts'
import { BadPin, type ReceiptJwk, type ReceiptKeyDirectory, type ReceiptPin, thumbprintOf } from './pins.ts'
import type { ReceiptRefusalReason, RefusedReceipt } from './refusals.ts'
import {
  MalformedReceipt,
  parseReceipt,
  printReceipt,
  type ReceiptQuestion,
  receiptOf,
  type SavedReceipt,
} from './saved-receipt.ts'
import type { ReceiptTerms } from './terms.ts'
import type { ReceiptStatement, ReceiptVerdict, RefusedVerdict, VerifiedReceipt } from './verdict.ts'
import type { VerifyOptions } from './verify-options.ts'
import { verifyReceipt } from './verify-receipt.ts'

export {
  BadOptions,
  BadPin,
  ClientError,
  type ClientErrorCode,
  type Ed25519Engine,
  type Json,
  lookupQuestion,
  lookupWithReceipts,
  MalformedReceipt,
  parseReceipt,
  printReceipt,
  type ReceiptDaemon,
  type ReceiptJwk,
  type ReceiptKeyDirectory,
  type ReceiptLookup,
  type ReceiptLookupOptions,
  ReceiptMemory,
  type ReceiptPin,
  type ReceiptQuestion,
  type ReceiptRefusalReason,
  type ReceiptStatement,
  type ReceiptTerms,
  type ReceiptVerdict,
  type RefusedReceipt,
  type RefusedVerdict,
  receiptOf,
  type SavedReceipt,
  type Token,
  thumbprintOf,
  type UnheardDaemon,
  type VerifiedReceipt,
  type VerifyOptions,
  verifyReceipt,
}
