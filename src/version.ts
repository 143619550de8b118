import { readFileSync, statSync } from 'node:fs'

const packageFile = new URL('../package.json', import.meta.url)

export const version: string = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version

/** When this version was built, in ISO 8601. */
export const versionTime: string = statSync(packageFile).mtime.toISOString()
