/**
 * Makes a release of the checkout in the working directory:
 *
 *     npm run release -- <version>
 *
 * Sets the version wherever it stands, and gives the changelog's "Unreleased" that version and today's date. Lists in
 * `sbom.cdx.json` what the package is made of, commits, and tags the commit. Pushes and publishes nothing. If the
 * checkout is not ready, changes nothing and exits with 1.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { materials } from './sbom.ts'

const placesWithVersion = [
  'package.json',
  'compose.yaml',
  'Dockerfile',
  'dashboards',
  'deploy',
  'docs',
  'README.md',
]
const unreleased = '## [Unreleased]\n'

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)]
  const differing = left.findIndex((part, index) => part !== right[index])
  return differing === -1 ? 0 : (left[differing] ?? 0) - (right[differing] ?? 0)
}

function unreleasedNotesIn(changelog: string): string {
  const [, after = ''] = changelog.split(unreleased)
  return (after.split(/^## /m)[0] ?? '').trim()
}

function problemsWith(version: string, present: string): readonly string[] {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`"${version}" is not a version such as 1.2.3`]
  const isDirty = git('status', '--porcelain') !== ''
  const isTagged = git('tag', '--list', `v${version}`) !== ''
  const hasNotes = unreleasedNotesIn(readFileSync('CHANGELOG.md', 'utf8')) !== ''
  return [
    ...(isDirty ? ['the checkout has changes that are not committed: commit or stash them first'] : []),
    ...(isTagged ? [`the tag v${version} exists`] : []),
    ...(compareVersions(version, present) < 0
      ? [`${version} is earlier than the present version ${present}`]
      : []),
    ...(hasNotes ? [] : ['CHANGELOG.md has nothing under [Unreleased]']),
  ]
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

function setVersion(present: string, version: string): void {
  const member = (text: string) => text.replace(/("version": ?)"[^"]*"/, `$1"${version}"`)
  rewrite('package.json', member)
  rewrite('docs/openapi.json', member)
  rewrite('package-lock.json', (text) => {
    const lock = JSON.parse(text)
    lock.version = version
    lock.packages[''].version = version
    return `${JSON.stringify(lock, null, 2)}\n`
  })
  for (const file of ['Dockerfile', 'deploy/image/Dockerfile'])
    rewrite(file, (text) => text.replace(/(image\.version=)"[^"]*"/, `$1"${version}"`))
  for (const name of [
    `bft-scan-proxy:${present}`,
    `bft-scan-proxy-${present}.tgz`,
    `bft-scan-client-${present}.tgz`,
  ]) {
    const found = git('grep', '--files-with-matches', '--fixed-strings', name, '--', ...placesWithVersion)
    for (const file of found.split('\n')) {
      rewrite(file, (text) => text.replaceAll(name, name.replace(present, version)))
    }
  }
}

function release(version: string, present: string): void {
  setVersion(present, version)
  const notes = unreleasedNotesIn(readFileSync('CHANGELOG.md', 'utf8'))
  const today = new Date().toISOString().slice(0, 10)
  rewrite('CHANGELOG.md', (text) => text.replace(unreleased, `${unreleased}\n## [${version}] - ${today}\n`))
  writeFileSync('sbom.cdx.json', materials())
  git('add', '--all')
  git('commit', '--quiet', '--message', `Release ${version}`, '--message', notes)
  git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`)
}

const [version = ''] = process.argv.slice(2)
const { version: present } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const problems = problemsWith(version, present)
if (problems.length > 0) {
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else {
  release(version, present)
  process.stdout.write(
    `v${version} is committed and tagged; to publish: git push --follow-tags && npm publish && npm publish ./$(npm run -s pack:client)\n`,
  )
}
