/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two bases with virtual functions: thunks between them, and vtables whose
 * address points lie in the middle.
 */
struct Reader {
  virtual int read(int n) { return n; }
  virtual ~Reader() {}
};
struct Writer {
  int field = 3;
  virtual int write(int n) { return n + field; }
  virtual ~Writer() {}
};
struct File : Reader, Writer {
  int read(int n) override { return n > 2 ? n : 2; }
  int write(int n) override { return n & 1 ? n : field; }
};

__attribute__((noinline)) static int use(Reader *reader, Writer *writer) {
  return reader->read(4) + writer->write(5);
}

int main() {
  File file;
  Reader reader;
  Writer writer;
  int all = 0;
  for (int i = 0; i < 9; i++)
    all += use(i & 1 ? &file : &reader, i % 3 ? &file : &writer);
  return all & 63;
}
