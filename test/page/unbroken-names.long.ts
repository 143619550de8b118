import { expect, test } from 'vitest'
import { startLiveRemote } from '../support/daemon.ts'
import { Scans } from '../support/scans.ts'
import { open, openBrowser } from './browser.ts'
import { lookUp, visit } from './steps.ts'

const names = ['Global-Synchronizer-Foundation', 'Digital-Asset-1', 'Cumberland-2', 'SV-Nodeops-Limited']

/** This script returns the names that the page shows on more than one line, each with the text around it. */
const broken = `(() => {
  const found = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode
    if (!parentElement.checkVisibility() || parentElement.closest('svg, .unseen') !== null) continue
    for (const name of ${JSON.stringify(names)}) {
      const at = data.indexOf(name)
      if (at === -1) continue
      const range = document.createRange()
      range.setStart(texts.currentNode, at)
      range.setEnd(texts.currentNode, at + name.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(name + ' in ' + innerWidth + " " + parentElement.parentElement.outerHTML.slice(0, 100))
    }
  }
  return found
})()`

test('No line breaks inside the name of a super validator', async () => {
  await using scans = await Scans.listen(...names)
  scans.nodes[1]?.say({ description: 'another' })
  await using remote = await startLiveRemote(scans.urls)
  const browser = await openBrowser()
  const found: string[] = []
  for (const width of [390, 700, 1100]) {
    await using opened = await open(browser, remote.daemon.operations, { viewport: { width, height: 800 } })
    await lookUp(opened.page, 'dso.cns')
    found.push(...((await opened.page.evaluate(broken)) as readonly string[]))
    await visit(opened.page, 'network')
    await opened.page.locator('#live-roster tr').first().waitFor()
    await opened.page.locator('#live-stories summary').first().click()
    await opened.page.locator('#live-stories .difference').first().waitFor()
    expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    found.push(...((await opened.page.evaluate(broken)) as readonly string[]))
  }
  expect(found).toEqual([])
  await browser.close()
})
