import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type * as receipts from '../../../src/client/receipts/receipts.ts'
import { top } from '../../arch/sources.ts'
import { newFolder } from '../../support/new-folder.ts'
import { agreedAt, madeReceipt, testKey } from '../../support/receipt-signer.ts'

const entry = 'src/client/receipts/receipts.ts'

/** Everything that a page which only verifies may import. */
const verifying = 'lookupQuestion, parseReceipt, printReceipt, ReceiptMemory, receiptOf, verifyReceipt'

function sizeOf(code: Buffer): number {
  return gzipSync(code, { level: constants.Z_BEST_COMPRESSION }).length
}

describe('the verifier of receipts, bundled for a browser', () => {
  const folder = newFolder(afterAll)
  const options = {
    absWorkingDir: top,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
    outExtension: { '.js': '.mjs' },
  } as const
  beforeAll(async () => {
    await build({ ...options, entryPoints: [join(top, entry)], outdir: folder })
  })

  /**
   * Bundles the program and resolves with its code, without the chunk of @noble/ed25519. A page loads this chunk only
   * where the browser lacks Ed25519.
   */
  async function codeOf(contents: string): Promise<Buffer> {
    const stdin = { contents, resolveDir: top }
    const { outputFiles } = await build({ ...options, stdin, outdir: folder, write: false })
    const [noble, ...others] = outputFiles.toSorted((one, other) => one.path.localeCompare(other.path))
    expect(noble?.path).toContain('ed25519.noble')
    return Buffer.concat(others.map((file) => file.contents))
  }

  test('is smaller than 15 kB compressed, and loads @noble/ed25519 only where it is needed', async () => {
    const code = await codeOf(
      `export { ReceiptMemory, receiptOf, parseReceipt, verifyReceipt } from './${entry}'`,
    )
    expect(sizeOf(code)).toBeLessThan(15_000)
    expect(sizeOf(code)).toBeGreaterThan(3_000)
    expect(code.toString()).not.toMatch(/node:|\bzod\b/i)
  })

  test('is smaller than 19 kB compressed in one file with @noble/ed25519, as the documented command makes it', async () => {
    const stdin = { contents: `export { ${verifying} } from './${entry}'`, resolveDir: top }
    const { outputFiles } = await build({ ...options, splitting: false, stdin, outdir: folder, write: false })
    expect(outputFiles).toHaveLength(1)
    const { length } = gzipSync(outputFiles[0]?.contents ?? '', { level: constants.Z_BEST_COMPRESSION })
    expect(length).toBeLessThan(19_000)
  })

  test('is smaller than 22 kB compressed together with the lookup', async () => {
    expect(sizeOf(await codeOf(`export * from './${entry}'`))).toBeLessThan(22_000)
  })

  test('verifies as the one that is not bundled', async () => {
    const bundled: typeof receipts = await import(pathToFileURL(join(folder, 'receipts.mjs')).href)
    const key = testKey('one')
    const receipt = madeReceipt(key)
    const options = { pins: [{ name: 'one', key: key.jwk }], question: receipt.request }
    const verdict = await bundled.verifyReceipt(receipt, { ...options, now: new Date(agreedAt * 1000) })
    expect(verdict).toMatchObject({
      kind: 'current',
      says: 'alice.unverified.cns belongs to alice::1220ab as of 2026-11-22T03:00:00Z, say sv-a, sv-b, sv-c, sv-d and sv-e; current until 2026-11-23T03:00:00Z. This is false only if daemon one lies, or if these five lie together.',
    })
  })
})
