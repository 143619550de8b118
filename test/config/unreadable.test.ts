import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sentenceOf } from '../../src/base/config/layers.ts'
import { configFolder } from './folder.ts'

describe('an unreadable configuration causes one sentence with the file and the cause', () => {
  test('where a folder has the name of the file', async () => {
    const folder = configFolder()
    await mkdir(join(folder.cwd, 'config/local.yaml'), { recursive: true })
    expect(folder.load()).toMatchObject({
      ok: false,
      problems: ['config/local.yaml cannot be read: it is a folder, not a file'],
    })
  })

  test('where the user may not read it', () => {
    const path = '/etc/ours/local.yaml'
    const denied = `EACCES: permission denied, open '${path}'`
    const ofNode = Object.assign(new Error(denied), { code: 'EACCES', path })
    expect(sentenceOf(ofNode, (each) => each)).toBe(`${path} cannot be read: this user may not read it`)
  })

  test('and a link that leads nowhere is a warning, because its settings are missing', async () => {
    const folder = configFolder({ 'config/default.yaml': '' })
    await symlink('gone.yaml', join(folder.cwd, 'config/local.yaml'))
    expect(folder.load()).toMatchObject({
      ok: true,
      warnings: ['config/local.yaml is a symbolic link that leads to no file'],
    })
  })
})
