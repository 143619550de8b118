/**
 * Packs `src/client` as `@bft-scan/client`, without dependencies, into the folder from which it is called:
 *
 *     npm run pack:client
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const top = fileURLToPath(new URL('..', import.meta.url))
const source = 'src/client'
const parts = join(top, source, 'package')

/** Returns the path of the tarball. */
export async function packClient(destination: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bft-scan-client-'))
  try {
    await build({
      absWorkingDir: top,
      entryPoints: [`${source}/client.ts`, { in: `${source}/receipts/receipts.ts`, out: 'receipts' }],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2023',
      logLevel: 'warning',
    })
    const tsc = join(top, 'node_modules/typescript/bin/tsc')
    const types = ['-p', parts, '--outDir', join(folder, 'types')]
    execFileSync(process.execPath, [tsc, ...types], { stdio: 'inherit' })
    const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))
    const manifest = JSON.parse(readFileSync(join(parts, 'package.json'), 'utf8'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version, ...manifest }, null, 2))
    cpSync(join(parts, 'README.md'), join(folder, 'README.md'))
    cpSync(join(top, 'LICENSE'), join(folder, 'LICENSE'))
    const packed = execFileSync('npm', ['pack', '--silent', folder], { cwd: destination, encoding: 'utf8' })
    return join(destination, packed.trim())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) process.stdout.write(`${basename(await packClient(process.cwd()))}\n`)
