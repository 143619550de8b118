import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { constants, gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CannedDaemon, startCannedDaemon } from '../../.ci/canned-daemon.ts'
import { outcomes } from '../../.ci/client-cases.js'
import * as client from '../../src/client/client.ts'
import { top } from '../arch/sources.ts'
import { newFolder } from '../support/new-folder.ts'

const most = 25_000

describe('the client, bundled for a browser', () => {
  const folder = newFolder(afterAll)
  let canned: CannedDaemon
  let code: Buffer
  let metafile: Metafile
  const file = () => join(folder, 'client.mjs')
  beforeAll(async () => {
    canned = await startCannedDaemon()
    const built = await build({
      entryPoints: [join(top, 'src/client/client.ts')],
      outfile: file(),
      absWorkingDir: top,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      logLevel: 'silent',
    })
    metafile = built.metafile
    code = await readFile(file())
  })
  afterAll(async () => {
    await canned[Symbol.asyncDispose]()
  })

  test('is smaller than 25 kB compressed', () => {
    const { length } = gzipSync(code, { level: constants.Z_BEST_COMPRESSION })
    expect(length).toBeLessThan(most)
    expect(length).toBeGreaterThan(5_000)
  })

  test('holds nothing but files of this project: no zod, no other package, and nothing of Node', () => {
    const files = Object.keys(metafile.inputs)
    expect(files).toContain('src/client/client.ts')
    expect(files.filter((path) => !path.startsWith('src/'))).toEqual([])
    const [output] = Object.values(metafile.outputs)
    expect(output?.imports).toEqual([])
    expect(code.toString()).not.toMatch(/node:|\bzod\b/i)
  })

  test('answers and fails as the client that is not bundled', async () => {
    const bundled: typeof client = await import(pathToFileURL(file()).href)
    const addresses = { daemon: `${canned.url}/noConsensus`, canned: canned.url, names: canned.names }
    const told = await outcomes(bundled, addresses)
    expect(told).toEqual(await outcomes(client, addresses))
    expect(told).toMatchObject({
      'a value': { code: 'noConsensus', status: 502 },
      'an unknown read': { kind: 'ClientError', code: 'unknownRead' },
      'a number that no double holds': { kind: 'value' },
    })
  })
})
