import { readFileSync } from 'node:fs'
import { digest } from '../lib/digest.ts'

const types = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

export type AssetName = keyof typeof types

export interface Asset {
  /** With a hash of what is in it: what a file is called says what it is, for good. */
  readonly file: string
  readonly type: string
  readonly etag: string
  readonly body: string
}

/** Where they are, seen from source and from build: neither copies them. */
const folder = new URL('../../src/ui/assets/', import.meta.url)

/** What the page loads. */
export const assets: Readonly<Record<AssetName, Asset>> = Object.fromEntries(
  Object.entries(types).map(([name, type]) => {
    const body = readFileSync(new URL(name, folder), 'utf8')
    const hash = digest(body)
    const [stem, extension] = name.split('.')
    return [name, { file: `${stem}.${hash.slice(0, 10)}.${extension}`, type, etag: `"${hash}"`, body }]
  }),
) as Record<AssetName, Asset>
