/** Verifies a signature that passed the checks of `laxityOf`. Resolves with null if this runtime cannot verify. */
export type Ed25519Engine = (
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
) => Promise<boolean | null>
