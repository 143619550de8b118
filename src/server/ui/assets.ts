import { readFileSync } from 'node:fs'
import { digest } from '../../base/lib/digest.ts'
import { Compressible } from './responses.ts'

/**
 * The build does not copy the assets, so source code and built code read them from the same path.
 */
const folder = new URL('../../../src/server/ui/assets/', import.meta.url)

const styles = 'base frame forms answer receipt vote hour roster stories doctor localnet narrow'.split(' ')

const names = [
  'page.css',
  'page.js',
  'vote.js',
  'download.js',
  'receipt.js',
  'verifier.js',
  'icon.svg',
  'preview.png',
] as const
export type AssetName = (typeof names)[number]

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

export interface Asset {
  /** The name contains a hash of the content, so that browsers may cache the file forever. */
  readonly file: string
  readonly type: string
  readonly body: Compressible
}

export const assets = Object.fromEntries(names.map((name) => [name, assetOf(name)])) as Readonly<
  Record<AssetName, Asset>
>

function assetOf(name: AssetName): Asset {
  const from =
    name === 'page.css'
      ? styles.map((style) => `css/${style}.css`)
      : [name.replace('verifier.', 'verifier.min.')]
  const content = Buffer.concat(from.map((file) => readFileSync(new URL(file, folder))))
  const [stem, extension = ''] = name.split('.')
  const file = `${stem}.${digest(content).slice(0, 10)}.${extension}`
  return { file, type: types[extension] ?? '', body: new Compressible(content) }
}

export function assetPath(name: AssetName): string {
  return `ui/${assets[name].file}`
}
