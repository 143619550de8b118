const sentences = {
  malformed: 'This is no receipt: {why}.',
  noWebCrypto: 'This runtime has no WebCrypto, so nothing can be verified; a page must be loaded by https.',
  tooManyReceipts: 'A verification takes at most {most} receipts, and not {given}.',
  noReceipt: 'The answer has no receipt: no signature has the tag bft-scan-receipt.',
  reencoded:
    'The body says the same as the text that was signed, but an intermediary or an editor wrote the JSON anew.',
  bodyAltered: 'The body was altered: it is not the one that was signed.',
  noBodyDigest: 'The header content-digest is missing or has another form than sha-256.',
  severalSignatures: 'Several signatures have the tag {tag}; a receipt has one.',
  malformedSignature: 'The headers signature and signature-input cannot be read.',
  otherParameters: 'The signature has other parameters than a receipt: created, expires, keyid, alg, tag.',
  otherAlgorithm: 'The signature is not by ed25519, the only algorithm of receipts.',
  otherComponents: 'The signature does not cover exactly what a receipt covers.',
  missingHeader: 'The header {name}, which the signature covers, is missing.',
  unknownKey:
    "The receipt is signed by an unknown key, {keyid}. To trust it, ask the daemon's owner whether it is theirs, and add it: verify --key NAME=ID, or pins in a program.",
  keyNotGiven:
    'The key {keyid} is pinned by its id alone, and is not among the first 16 keys of the receipt: give the whole key.',
  weakKey: 'The pinned key {keyid} is of small order: anybody could sign with it.',
  malleable: 'The signature has a form in which one signature could be written twice.',
  badSignature:
    'The signature does not verify: a header, the path, the time or the signature was altered, or another key signed.',
  otherQuestion: 'This is a receipt for another question: {asked}, and not {expected}.',
  malformedTerms: 'The signed headers are not those of a receipt of version 1.',
  otherValue: 'The signed digest of the value is not that of the body.',
  impossibleTimes: 'The signed times contradict each other, or the receipt lives for more than 24 hours.',
  fromTheFuture:
    'The receipt is from the future: it was made at {created}, and the clock says {now}. A clock is wrong, or the receipt is of a localnet whose time was advanced: hold it against that time.',
  expired: 'The receipt expired at {expires}; the clock says {now}.',
  tooOld:
    'The answer is as of {at}, and you want none that is older than {seconds} seconds; the clock says {now}.',
  thresholdTooLow: 'The daemon wanted {threshold} equal answers, and you want at least {wanted}.',
  tooFewAgreed: 'Fewer super validators agreed than the threshold of {threshold}, or one is named twice.',
  tooFewOperators:
    'Only {operators} operators agreed, or the daemon does not count them; you want at least {wanted}.',
  otherRoster:
    'The roster has another digest ({roster}) than the one that you pinned or accepted: it changed, or the receipt is older or of another network.',
  olderThanSeen:
    'An answer of {seen} to this question, by the same key, was seen before; this one is of {at}.',
  nobodyAnswers: 'No daemon answers, so no receipt can be verified.',
  tooFewKeys: 'Only {owners} of the {wanted} owners that you want vouch for one answer.',
  valuesDiffer:
    'Daemons of different owners vouch for different answers, and enough for more than one: {who}.',
} as const

export type ReceiptRefusalReason = keyof typeof sentences

export const refusalReasons = Object.keys(sentences) as readonly ReceiptRefusalReason[]

/** The outcome for a receipt that proves nothing. `says` explains the reason in a sentence. */
export interface RefusedReceipt {
  readonly kind: 'refused'
  readonly reason: ReceiptRefusalReason
  readonly says: string
}

export class ReceiptRefusal extends Error {
  override readonly name = 'ReceiptRefusal'
  readonly outcome: RefusedReceipt

  constructor(reason: ReceiptRefusalReason, details: Readonly<Record<string, string | number>> = {}) {
    const says = sentences[reason].replace(/\{(\w+)\}/g, (_, name: string) =>
      printable(`${details[name] ?? '?'}`),
    )
    super(says)
    this.outcome = { kind: 'refused', reason, says }
  }
}

const longest = 200

/** Shortens a string from a receipt, and replaces characters that a terminal would obey. */
export function printable(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, '?')
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line
}
