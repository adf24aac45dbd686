using System;
using System.Collections.Generic;

namespace Garden
{
    /// <summary>Keeps the plants.</summary>
    public sealed class Bed : IDisposable
    {
        private readonly Dictionary<string, decimal> plants = new();

        public decimal Water { get; private set; } = 1.5m;

        // Opens a bed at a place.
        public async Task<string> Plant(string name, int count)
        {
            if (count <= 0x0F || name == null)
            {
                throw new ArgumentException($"cannot plant {count} of {plants["none"]}");
            }
            plants[name] = count * 2 + 1_000;
            char sep = '\'';
            Water -= 0.25m;
            await Save(@"C:\beds\""first""", sep);
            return $"{name}: {plants[name]:0.00}";
        }

        /* nothing to release */
        public void Dispose() => plants.Clear();
    }
}
