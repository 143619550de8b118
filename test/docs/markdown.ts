import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from '../arch/sources.ts'

export function proseOf(page: string): string {
  return readFileSync(join(top, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

export function linksOf(prose: string): readonly string[] {
  return [...prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link)
}

/** Returns the anchors that GitHub gives the headings of a page. */
export function anchorsOf(prose: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`
    anchors.add(anchor)
  }
  return anchors
}
