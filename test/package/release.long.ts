import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { childEnv } from '../support/child-env.ts'
import { newFolder } from '../support/new-folder.ts'

const env = {
  ...childEnv,
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'a contributor'],
      [`GIT_${who}_EMAIL`, 'contributor@example.org'],
    ]),
  ),
}

const clone = newFolder(afterAll)

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-tags', top, clone], { env })
  write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- Users can pay.\n')
  git('commit', '--quiet', '--all', '--allow-empty', '--message', 'Prepare')
  git('branch', 'prepared')
})

afterEach(() => {
  git('reset', '--quiet', '--hard', 'prepared')
  for (const tag of git('tag', '--list').split('\n').filter(Boolean)) git('tag', '--delete', tag)
})

test('a release sets the version everywhere, dates the changelog, and tags one commit', () => {
  const before = git('rev-parse', 'HEAD')
  expect(release('7.8.9')).toEqual({
    status: 0,
    said: 'v7.8.9 is committed and tagged; to publish: git push --follow-tags && npm publish && npm publish ./$(npm run -s pack:client)\n',
  })
  expect(git('rev-parse', 'v7.8.9^{commit}')).toBe(git('rev-parse', 'HEAD'))
  expect(git('rev-parse', 'HEAD^')).toBe(before)
  expect(git('status', '--porcelain')).toBe('')
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## \[Unreleased\]\n\n## \[7\.8\.9\] - \d{4}-\d\d-\d\d\n\n### Fixed\n\n- Users can pay\.\n$/,
  )
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: '7.8.9' })
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({
    version: '7.8.9',
    packages: { '': { version: '7.8.9' } },
  })
  expect(JSON.parse(read('docs/openapi.json')).info.version).toBe('7.8.9')
  expect(read('compose.yaml')).toContain('bft-scan-proxy:7.8.9')
  expect(read('Dockerfile')).toContain('image.version="7.8.9"')
  expect(read('deploy/image/Dockerfile')).toContain('image.version="7.8.9"')
  expect(read('deploy/image/Dockerfile')).toContain('tar -xzf bft-scan-proxy-7.8.9.tgz ')
  expect(read('README.md')).toContain('npm install ../bft-scan-proxy/bft-scan-proxy-7.8.9.tgz\n')
  expect(read('README.md')).toContain('npm install ../bft-scan-proxy/bft-scan-client-7.8.9.tgz\n')
  expect(read('deploy/kubernetes/splice/sidecar/sidecar.yaml')).toContain('bft-scan-proxy:7.8.9')
  expect(git('log', '-1', '--format=%s%n%b')).toBe('Release 7.8.9\n### Fixed\n\n- Users can pay.')
})

test('a release lists the packages that it needs, with versions and hashes, independent of the registry', () => {
  release('7.8.9')
  const materials = JSON.parse(read('sbom.cdx.json'))
  expect(materials).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' })
  expect(materials.metadata.component).toMatchObject({
    name: 'bft-scan-proxy',
    purl: 'pkg:npm/bft-scan-proxy@7.8.9',
  })
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const components: { name: string; hashes: unknown[] }[] = materials.components
  const names = components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
  expect(names.filter((name) => name in devDependencies)).toEqual([])
  for (const { name, hashes } of components) expect(hashes, name).toMatchObject([{ alg: 'SHA-512' }])
  expect(read('sbom.cdx.json')).not.toContain('"distribution"')
})

test('a checkout with changes that are not committed is not released', () => {
  appendFileSync(join(clone, 'README.md'), '\n')
  expect(release('7.8.9')).toEqual({
    status: 1,
    said: 'the checkout has changes that are not committed: commit or stash them first\n',
  })
  expect(git('tag', '--list')).toBe('')
})

test('a version is released once, and never after a later one', () => {
  release('7.8.9')
  write('CHANGELOG.md', read('CHANGELOG.md').replace('## [Unreleased]\n', '## [Unreleased]\n\n- More.\n'))
  git('commit', '--quiet', '--all', '--message', 'More')
  expect(release('7.8.9').said).toBe('the tag v7.8.9 exists\n')
  expect(release('7.8.8').said).toBe('7.8.8 is earlier than the present version 7.8.9\n')
})

test('a release needs a version, and something to say in the changelog', () => {
  expect(release('next').said).toBe('"next" is not a version such as 1.2.3\n')
  release('7.8.9')
  expect(release('7.9.0').said).toBe('CHANGELOG.md has nothing under [Unreleased]\n')
})

function release(version: string) {
  const script = join(top, '.ci/release.ts')
  const { status, stdout, stderr } = spawnSync('node', [script, version], {
    cwd: clone,
    env,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: clone, env, encoding: 'utf8' }).trim()
}

function read(file: string): string {
  return readFileSync(join(clone, file), 'utf8')
}

function write(file: string, text: string): void {
  writeFileSync(join(clone, file), text)
}
