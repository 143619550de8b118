import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the packages that the package in the working directory needs to run, from the lock file: names, versions,
 * licences and hashes, as a text of CycloneDX.
 */
export function materials(): string {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  // `npm sbom --omit=dev` would not do: it also leaves out packages that both the package and a tool need.
  delete manifest.devDependencies
  delete lock.packages[''].devDependencies
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(lock.packages))
    if (dev) delete lock.packages[path]

  const folder = mkdtempSync(join(tmpdir(), 'sbom-'))
  try {
    // npm names the package after its folder.
    const cwd = join(folder, manifest.name)
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify(lock))
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
    return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
