/** Verifies a signature without the checks of strictness. Resolves with null if this runtime cannot. */
export type Ed25519Engine = (
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
) => Promise<boolean | null>
