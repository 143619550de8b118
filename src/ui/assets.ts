import { readFileSync } from 'node:fs'
import { digest } from '../lib/digest.ts'

const types = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

export type AssetName = keyof typeof types

export interface Asset {
  /** Contains a hash of the content, so that browsers may cache the file forever. */
  readonly file: string
  readonly type: string
  readonly etag: string
  readonly body: string
}

/** This path works from source and from the build, because the build does not copy the assets. */
const folder = new URL('../../src/ui/assets/', import.meta.url)

/** The files that the page loads. */
export const assets: Readonly<Record<AssetName, Asset>> = Object.fromEntries(
  Object.entries(types).map(([name, type]) => {
    const body = readFileSync(new URL(name, folder), 'utf8')
    const hash = digest(body)
    const [stem, extension] = name.split('.')
    return [name, { file: `${stem}.${hash.slice(0, 10)}.${extension}`, type, etag: `"${hash}"`, body }]
  }),
) as Record<AssetName, Asset>
