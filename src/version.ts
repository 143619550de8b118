import { existsSync, readFileSync, statSync } from 'node:fs'

const packageFile = new URL('../package.json', import.meta.url)

export const version: string = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version

/** The build puts it beside the compiled code. */
const commitFile = new URL('commit-time.txt', import.meta.url)

/** When this version was committed, in ISO 8601. For a version that runs from source, when it was installed. */
export const versionTime: string = (
  existsSync(commitFile) ? new Date(readFileSync(commitFile, 'utf8').trim()) : statSync(packageFile).mtime
).toISOString()
