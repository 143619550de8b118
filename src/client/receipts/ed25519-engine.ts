/**
 * Verifies an ed25519 signature in which `laxityOf` of `strict-ed25519.ts` found no fault. Resolves with null if this
 * runtime cannot verify.
 */
export type Ed25519Engine = (
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
) => Promise<boolean | null>
