/**
 * Verifies an ed25519 signature. The caller has already rejected weak keys and malleable
 * signatures. Resolves with null if this runtime does not support ed25519.
 */
export type Ed25519Engine = (
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
) => Promise<boolean | null>
