import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../support/new-folder.ts'
import { DaemonProcess } from '../support/process.ts'

// The later daemon looks only every five seconds whether the former one has ended.
test('serve says that another daemon has guard.file, and takes it over when that one ends', async () => {
  const env = { GUARD_FILE: join(newFolder(onTestFinished), 'floors') }
  await using former = await DaemonProcess.start(env)
  await former.listening()
  await using later = await DaemonProcess.start(env)
  await later.listening()
  expect(later.lines.map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/^another daemon has guard\.file: /),
  )
  expect(former.lines.map(({ msg }) => msg)).toContain('guard.file is written')
  former.signal('SIGKILL')
  await later.said('guard.file is written')
})
