import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from '../arch/sources.ts'

/** A page without its blocks of code. */
export function proseOf(page: string): string {
  return readFileSync(join(top, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/** The targets of all links to other places of the repository. */
export function linksOf(prose: string): readonly string[] {
  return [...prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link)
}

/** The anchors that GitHub makes of a page's headings. */
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
