import { expect, test } from 'vitest'
import { printed } from './commands.ts'
import { unitFile } from './systemd.ts'

test('systemd takes the unit without a warning', async () => {
  expect(await printed('systemd-analyze', ['verify', '--man=no', unitFile])).toBe('')
})

test('systemd rates the exposure of the unit as low as that of its own services', async () => {
  const args = ['security', '--offline=true', '--no-pager', '--threshold=15', unitFile]
  expect(await printed('systemd-analyze', args)).toContain('OK')
})
