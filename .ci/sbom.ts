import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns the packages that the package in the working directory needs to run, as CycloneDX JSON. */
export function materials(): string {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  // `npm sbom --omit=dev` would also leave out a package that both a development tool and the package itself need. So
  // the development tools are removed from the lock file first.
  delete manifest.devDependencies
  delete lock.packages[''].devDependencies
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(lock.packages))
    if (dev) delete lock.packages[path]

  const folder = mkdtempSync(join(tmpdir(), 'sbom-'))
  try {
    // npm takes the name of the package from the name of its folder.
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
