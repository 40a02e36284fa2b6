import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import jdk.incubator.foreign.CLinker;
import jdk.incubator.foreign.FunctionDescriptor;
import jdk.incubator.foreign.MemoryAddress;
import jdk.incubator.foreign.MemorySegment;
import jdk.incubator.foreign.ResourceScope;
import jdk.incubator.foreign.SegmentAllocator;
import jdk.incubator.foreign.SymbolLookup;

/** kvfsck.h through the foreign-function API of Java 17: ForeignTest LIBRARY STORE. */
final class ForeignTest {
  private static MethodHandle function(String name, MethodType type, FunctionDescriptor descriptor) {
    return CLinker.getInstance().downcallHandle(SymbolLookup.loaderLookup().lookup(name).get(), type, descriptor);
  }

  public static void main(String[] arguments) throws Throwable {
    System.load(arguments[0]);
    Class<MemoryAddress> address = MemoryAddress.class;
    MethodHandle open = function(
        "kvfsck_open",
        MethodType.methodType(int.class, address, long.class, address, address, address),
        FunctionDescriptor.of(
            CLinker.C_INT, CLinker.C_POINTER, CLinker.C_LONG, CLinker.C_POINTER, CLinker.C_POINTER, CLinker.C_POINTER));
    MethodHandle count = function(
        "kvfsck_entry_count",
        MethodType.methodType(long.class, address),
        FunctionDescriptor.of(CLinker.C_LONG, CLinker.C_POINTER));
    MethodHandle verdict = function(
        "kvfsck_store_verdict",
        MethodType.methodType(int.class, address),
        FunctionDescriptor.of(CLinker.C_INT, CLinker.C_POINTER));
    MethodHandle close = function(
        "kvfsck_close", MethodType.methodType(void.class, address), FunctionDescriptor.ofVoid(CLinker.C_POINTER));
    try (ResourceScope scope = ResourceScope.newConfinedScope()) {
      SegmentAllocator memory = SegmentAllocator.ofScope(scope);
      MemorySegment path = CLinker.toCString(arguments[1], scope);
      MemorySegment store = memory.allocate(CLinker.C_POINTER);
      int status = (int) open.invokeExact(
          path.address(), path.byteSize() - 1, MemoryAddress.NULL, store.address(), MemoryAddress.NULL);
      MemoryAddress handle = jdk.incubator.foreign.MemoryAccess.getAddress(store);
      long entries = (long) count.invokeExact(handle);
      int found = (int) verdict.invokeExact(handle);
      close.invokeExact(handle);
      if (status != 0 || entries != 29 || found != 1) {
        throw new AssertionError(status + ", " + entries + " entries, verdict " + found);
      }
    }
    System.out.println("Java's foreign functions: 29 entries");
  }
}
