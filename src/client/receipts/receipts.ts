import { ClientError } from '../client-error.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import {
  lookupQuestion,
  lookupWithReceipts,
  type ReceiptDaemon,
  type ReceiptLookup,
  type ReceiptLookupOptions,
  type UnheardDaemon,
} from './lookup-with-receipts.ts'
import { ReceiptMemory } from './memory.ts'
import { BadPin, type ReceiptJwk, type ReceiptPin, thumbprintOf } from './pins.ts'
import type { ReceiptRefusalReason, RefusedReceipt } from './refusals.ts'
import {
  MalformedReceipt,
  parseReceipt,
  printReceipt,
  type ReceiptQuestion,
  receiptOf,
  type SavedReceipt,
} from './saved-receipt.ts'
import type { ProvenName } from './set-check.ts'
import type { SignedThing } from './signature-forms.ts'
import type { ReceiptTerms, SetTerms } from './terms.ts'
import type { ReceiptStatement } from './verify-one.ts'
import {
  type ReceiptVerdict,
  type VerifiedReceipt,
  type VerifyOptions,
  verifyReceipt,
} from './verify-receipt.ts'

export {
  BadPin,
  ClientError,
  type Ed25519Engine,
  lookupQuestion,
  lookupWithReceipts,
  MalformedReceipt,
  type ProvenName,
  parseReceipt,
  printReceipt,
  type ReceiptDaemon,
  type ReceiptJwk,
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
  receiptOf,
  type SavedReceipt,
  type SetTerms,
  type SignedThing,
  thumbprintOf,
  type UnheardDaemon,
  type VerifiedReceipt,
  type VerifyOptions,
  verifyReceipt,
}
