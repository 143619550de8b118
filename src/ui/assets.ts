import { readFileSync } from 'node:fs'
import { digest } from '../lib/digest.ts'
import { Compressible } from './compressed.ts'

/**
 * The build does not copy the assets, so source code and built code read them from the same path.
 */
const folder = new URL('../../src/ui/assets/', import.meta.url)

const styles = 'base frame forms answer receipt vote hour roster stories doctor localnet narrow'.split(' ')

const own = (name: string) => [new URL(name, folder)]

const files = {
  'page.css': {
    type: 'text/css; charset=utf-8',
    from: styles.map((name) => new URL(`css/${name}.css`, folder)),
  },
  'page.js': { type: 'text/javascript; charset=utf-8', from: own('page.js') },
  'vote.js': { type: 'text/javascript; charset=utf-8', from: own('vote.js') },
  'download.js': { type: 'text/javascript; charset=utf-8', from: own('download.js') },
  'receipt.js': { type: 'text/javascript; charset=utf-8', from: own('receipt.js') },
  'verifier.js': { type: 'text/javascript; charset=utf-8', from: own('verifier.min.js') },
  'icon.svg': { type: 'image/svg+xml', from: own('icon.svg') },
} as const

export type AssetName = keyof typeof files

export interface Asset {
  /** The name contains a hash of the content, so that browsers may cache the file forever. */
  readonly file: string
  readonly type: string
  readonly body: Compressible
}

export const assets: Readonly<Record<AssetName, Asset>> = Object.fromEntries(
  Object.entries(files).map(([name, { type, from }]) => {
    const text = from.map((file) => readFileSync(file, 'utf8')).join('\n')
    const [stem, extension] = name.split('.')
    const file = `${stem}.${digest(text).slice(0, 10)}.${extension}`
    return [name, { file, type, body: new Compressible(text) }]
  }),
) as Record<AssetName, Asset>

export function assetPath(name: AssetName): string {
  return `ui/${assets[name].file}`
}
